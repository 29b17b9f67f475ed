// Requirements for language models, other files, parts of either, and tokens.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/requirements.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/text.h"
#include "conformance/model/hparams.h"
#include "conformance/model/shard_set.h"
#include "conformance/model/text_match.h"
#include "conformance/tables/readers.h"
#include "conformance/tables/tensors.h"

namespace gguf {
namespace {

bool IsGiven(Against against, const CheckContext& context) {
  switch (against) {
    case Against::kOrigin:
      return context.comparison != nullptr;
    case Against::kDigests:
      return context.compares_digests;
    case Against::kSha256:
      return context.compares_sha256;
    default:
      return true;  // The rules have requirements that tell why not.
  }
}

}  // namespace

Reason WhyNot(const Rule& rule, const CheckContext& context) {
  if (!IsGiven(rule.against, context)) return Reason::NotRequested();
  for (const Requirement& requirement : rule.requirements) {
    Reason why;
    if (requirement.of_model != nullptr) {
      why = requirement.of_model(context.model);
    } else if (requirement.of_context != nullptr) {
      why = requirement.of_context(context);
    }
    if (!why.empty()) return why;
  }
  return {};
}

Reason OnlyNamed(const Model& model) {
  return model.file.name.empty() ? "the file has no name" : Reason();
}

Reason OnlyFirstShard(const Model& model) { return model.is_whole() ? Reason() : Reason::Silent(); }

Reason OnlyWithAllKeys(const Model& model) {
  return model.file.legacy || model.file.progress >= Progress::kKeys ? Reason() : Reason::Silent();
}

Reason NoImageModels(const Model& model) {
  const bool is_image = !model.file.legacy && model.kind().kind == GgufKind::kImageModel;
  return is_image ? Reason::Silent() : Reason();
}

Reason OnlyModels(const Model& model) {
  if (!model.is_whole()) return Reason::Silent();
  const Hparams& hparams = model.hparams();
  if (model.file.progress < Progress::kKeys) {
    return "not all keys could be read";
  }
  if (hparams.Get(Symbol::kSplitNo).value_or(0) > 0) return kKeysInFirst;
  Reason why = WhyNoModel(model.kind());
  if (why.empty() && hparams.architecture_key() == nullptr) {
    return "general.architecture is missing";
  }
  return why;
}

Reason OnlyWithAllTensors(const Model& model) {
  if (model.file.progress < Progress::kTensors) return "not all tensors could be read";
  if (model.shard_set() != nullptr) return model.shard_set()->why_in_part();
  return model.hparams().may_be_shard() ? "a shard alone: the other tensors are in other files"
                                        : Reason();
}

Reason OnlyWholeModels(const Model& model) {
  Reason why = OnlyModels(model);
  return why.empty() ? OnlyWithAllTensors(model) : why;
}

Reason OnlyWithRoles(const Model& model) {
  const Model& whole = model.whole();
  if (whole.tensors().empty()) return Reason::Silent();
  Reason why = OnlyWholeModels(whole);
  const auto rows = kTensors.Of(whole.hparams().architecture());
  const bool has_rows = rows.begin() != rows.end();
  if (why.empty() && !has_rows) {
    why = "there is no table of tensors for this architecture";
  }
  return why.empty() || model.is_whole() ? why : Reason::Silent();
}

std::vector<Component> ComponentsOf(const Model& model) {
  std::vector<Component> components;
  if (!model.kind().Is(GgufKind::kProjector)) {
    const Model& whole = model.whole();
    const KeyValue& kv = *whole.hparams().architecture_key();
    components.push_back({whole.hparams(),
                          whole.tensor_roles(),
                          whole.hparams().architecture_name(),
                          {kv.value, kv.subject()}});
    return components;
  }
  for (const Encoder& encoder : model.encoders()) {
    if (encoder.roles == nullptr) continue;
    components.push_back(
        {*encoder.hparams, *encoder.roles, encoder.type, encoder.type_key->at_value(), true});
  }
  return components;
}

Reason OnlyWithComponents(const Model& model) {
  if (!model.kind().Is(GgufKind::kProjector)) return OnlyWithRoles(model);
  if (model.file.progress < Progress::kTensors) return "not all tensors could be read";
  for (const Encoder& encoder : model.encoders()) {
    if (encoder.row != nullptr && encoder.roles == nullptr) {
      return "the tables do not describe projectors of this type yet";
    }
  }
  return ComponentsOf(model).empty() ? Reason::Silent() : Reason();
}

Reason OnlyModelsOrProjectors(const Model& model) {
  return model.kind().Is(GgufKind::kProjector) ? Reason() : OnlyModels(model);
}

bool HasKey(const Model& model, const RequiredKey& row) {
  return model.FindKey(model.hparams().Expand(row.key)) != nullptr ||
         (*row.or_key != 0 && model.FindKey(model.hparams().Expand(row.or_key)) != nullptr);
}

bool IsRequired(const Model& model, absl::string_view key, const Expr& when, Finder& find) {
  if (when.empty()) return true;
  const auto required = model.hparams().Evaluate(when);
  if (!required) {
    find.CannotCheck(absl::StrCat("whether ", Visible(model.hparams().Expand(key)),
                                  " is required depends on ", NamesIn(model.hparams(), when),
                                  ", which is not known"));
  }
  return required.value_or(0) != 0;
}

bool LacksKeyOfLoader(const Model& model) {
  const Hparams& hparams = model.hparams();
  for (const RequiredKey& row : kRequiredKeys.Of(hparams.architecture())) {
    const bool is_needed = row.by == RequiredBy::kLoader || row.by == RequiredBy::kTensors;
    if (is_needed && !HasKey(model, row) && hparams.Holds(row.when)) {
      return true;
    }
  }
  return false;
}

Reason OnlyWithVocabulary(const Model& model) {
  const Vocabulary& vocabulary = model.vocabulary();
  if (vocabulary.key() != nullptr) return {};
  if (model.FindKey("tokenizer.ggml.tokens") == nullptr) {
    return Reason::Silent();
  }
  if (!vocabulary.why_unread().empty()) return vocabulary.why_unread();
  if (vocabulary.is_none()) {
    return {"tokenizer.ggml.model says that there is no vocabulary", Reason::kNotAbout};
  }
  return "tokenizer.ggml.tokens is not an array of strings";
}

const KeyValue* ArrayKey(const Model& model, absl::string_view name, ValueType type) {
  const KeyValue* kv = model.FindKey(name);
  const bool is_array =
      kv != nullptr && kv->element_type != nullptr && kv->element_type->type == type;
  return is_array ? kv : nullptr;
}

Location ElementOf(const KeyValue& kv, uint64_t i) {
  if (kv.element_type == nullptr || kv.element_type->size == 0 || i >= kv.length) {
    return kv.at_value();
  }
  const uint64_t begin = kv.value.end - (kv.length - i) * kv.element_type->size;
  return {{begin, begin + kv.element_type->size}, kv.subject().Of("value").At(i)};
}

const PreTokenizerRow* FindPreTokenizer(const Model& model) {
  const auto name = model.hparams().Text(Symbol::kTokenizerPre);
  if (!name) return nullptr;
  for (const PreTokenizerRow& row : kPreTokenizers) {
    if (BeforeNul(*name) == row.name) return &row;
  }
  return nullptr;
}

const ComputedType* ForbidsType(uint16_t architecture, absl::string_view name, uint32_t type) {
  for (const ComputedType& row : kComputedTypes.Of(architecture)) {
    const bool fits =
        absl::c_any_of(row.names, [&](absl::string_view end) { return absl::EndsWith(name, end); });
    if (!fits || (row.types >> type & 1) != 0) continue;
    return row.types == 0 ? nullptr : &row;
  }
  return nullptr;
}

const char* TablesVersion() { return kReaders[static_cast<size_t>(ReaderId::kLlamaCpp)].version; }

}  // namespace gguf
