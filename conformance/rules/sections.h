// The sections of the catalogue.  Each is one table in the file of its name.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_SECTIONS_H_
#define GGUF_CONFORMANCE_RULES_SECTIONS_H_

#include "absl/types/span.h"
#include "conformance/rules/check.h"

namespace gguf {

absl::Span<const Check> HeaderChecks();         // header_checks.cc
absl::Span<const Check> KeyChecks();            // key_checks.cc
absl::Span<const Check> ValueChecks();          // value_checks.cc
absl::Span<const Check> AlignmentChecks();      // alignment_checks.cc
absl::Span<const Check> TensorNameChecks();     // tensor_name_checks.cc
absl::Span<const Check> TensorShapeChecks();    // tensor_shape_checks.cc
absl::Span<const Check> LayoutChecks();         // layout_checks.cc
absl::Span<const Check> WeightChecks();         // weight_checks.cc
absl::Span<const Check> FileNameChecks();       // file_name_checks.cc
absl::Span<const Check> ArchitectureChecks();   // architecture_checks.cc
absl::Span<const Check> RequiredKeyChecks();    // required_key_checks.cc
absl::Span<const Check> HparamChecks();         // hparam_checks.cc
absl::Span<const Check> HparamValueChecks();    // hparam_value_checks.cc
absl::Span<const Check> ModelTensorChecks();    // model_tensor_checks.cc
absl::Span<const Check> ModelShapeChecks();     // model_shape_checks.cc
absl::Span<const Check> StandardKeyChecks();    // standard_key_checks.cc
absl::Span<const Check> KeyStatusChecks();      // key_status_checks.cc
absl::Span<const Check> ValueFormatChecks();    // value_format_checks.cc
absl::Span<const Check> QuantizationChecks();   // quantization_checks.cc
absl::Span<const Check> SplitChecks();          // split_checks.cc
absl::Span<const Check> LegacyFormatChecks();   // legacy_format_checks.cc
absl::Span<const Check> LegacyHparamChecks();   // legacy_hparam_checks.cc
absl::Span<const Check> LegacyTensorChecks();   // legacy_tensor_checks.cc
absl::Span<const Check> LegacyLayoutChecks();   // legacy_layout_checks.cc
absl::Span<const Check> TemplateChecks();       // template_checks.cc
absl::Span<const Check> TemplateNameChecks();   // template_name_checks.cc
absl::Span<const Check> TokenizerChecks();      // tokenizer_checks.cc
absl::Span<const Check> VocabularyChecks();     // vocabulary_checks.cc
absl::Span<const Check> TokenArrayChecks();     // token_array_checks.cc
absl::Span<const Check> SpecialTokenChecks();   // special_token_checks.cc
absl::Span<const Check> TokenTextChecks();      // token_text_checks.cc
absl::Span<const Check> ByteTokenChecks();      // byte_token_checks.cc
absl::Span<const Check> CharsmapChecks();       // charsmap_checks.cc
absl::Span<const Check> HuggingFaceChecks();    // huggingface_checks.cc
absl::Span<const Check> ShardSetChecks();       // shard_set_checks.cc
absl::Span<const Check> NameContentChecks();    // name_content_checks.cc
absl::Span<const Check> KindChecks();           // kind_checks.cc
absl::Span<const Check> KindValueChecks();      // kind_value_checks.cc
absl::Span<const Check> LoraChecks();           // lora_checks.cc
absl::Span<const Check> ControlVectorChecks();  // control_vector_checks.cc
absl::Span<const Check> ImatrixChecks();        // imatrix_checks.cc
absl::Span<const Check> ProjectorChecks();      // projector_checks.cc
absl::Span<const Check> BaseChecks();           // base_checks.cc
absl::Span<const Check> PolicyChecks();         // policy_checks.cc
absl::Span<const Check> DigestChecks();         // digest_checks.cc

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_SECTIONS_H_
