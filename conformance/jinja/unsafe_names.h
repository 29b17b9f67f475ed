// Names by which a template escapes its sandbox.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_UNSAFE_NAMES_H_
#define GGUF_CONFORMANCE_JINJA_UNSAFE_NAMES_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace gguf::jinja {

// Returns whether the name begins and ends with two underscores, like __class__
// and __globals__.
bool IsSpecialName(absl::string_view name);

// Returns whether the filter accepts the name of an attribute: attr, map and
// the like.
bool TakesAttribute(absl::string_view filter);

// Returns which argument it is, if it has no name; from 0.
size_t AttributeArgument(absl::string_view filter);

// Returns whether value.name is an attribute that Jinja2's sandbox rejects, or
// that names one of Python's own functions.
bool IsUnsafeAttribute(absl::string_view name);

// The same, also for the objects of Jinja2, whose attributes are not data.
bool IsUnsafeOnObject(absl::string_view name);

// The same for value["name"], if the value is data: a message, list or dict.
bool IsUnsafeSubscript(absl::string_view name);

// Returns whether a field of the format, as in "{0.a.b}", names an attribute
// that is unsafe on objects and no special name.
bool HasUnsafeField(absl::string_view format);

// Returns whether Python's texts, lists or dicts have a method of this name.
bool IsMethod(absl::string_view name);

// Returns whether frameworks add this function or object to templates and no
// chat template accesses its attributes: cycler.x, lipsum.x.
bool IsFunctionOfEnvironment(absl::string_view name);

// Returns whether this is an object of web frameworks, such as request in
// request.application.x.
bool IsObjectOfFramework(absl::string_view name);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_UNSAFE_NAMES_H_
