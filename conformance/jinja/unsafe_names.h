// Names by which a template leaves its sandbox.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_UNSAFE_NAMES_H_
#define GGUF_CONFORMANCE_JINJA_UNSAFE_NAMES_H_

#include "absl/strings/string_view.h"

namespace gguf::jinja {

// __class__, __globals__ and whatever else begins and ends with two
// underscores.
bool IsSpecialName(absl::string_view name);

// Whether a text may become a special name together with others: it has two
// underscores, or begins or ends with one.
bool IsPieceOfSpecialName(absl::string_view text);

// A filter that takes the name of an attribute: attr, map and the like.
bool TakesAttribute(absl::string_view filter);

// An attribute that Jinja2's sandbox refuses, or that stands for Python's own
// functions: of a value, value.name.
bool IsUnsafeAttribute(absl::string_view name);

// The same in quotes, value["name"], which may as well be a key of a message.
bool IsUnsafeSubscript(absl::string_view name);

// The functions and objects that frameworks add to templates and that no chat
// template takes attributes of: cycler.x, lipsum.x.
bool IsFunctionOfEnvironment(absl::string_view name);

// Objects of web frameworks, of which request.application.x leads on.
bool IsObjectOfFramework(absl::string_view name);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_UNSAFE_NAMES_H_
