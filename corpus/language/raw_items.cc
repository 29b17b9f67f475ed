// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/raw_items.h"

#include <algorithm>
#include <cstddef>
#include <variant>

namespace gguf::corpus {

Items Raw(absl::string_view bytes) {
  constexpr size_t kRun = 16;
  Items items;
  while (!bytes.empty()) {
    size_t begin = 0, end = 0;  // The next long run of zeros.
    while (end - begin < kRun) {
      begin = bytes.find('\0', end);
      if (begin == absl::string_view::npos) {
        begin = end = bytes.size();
        break;
      }
      end = std::min(bytes.find_first_not_of('\0', begin), bytes.size());
    }
    if (begin > 0) items.push_back(Make(Literal(bytes.substr(0, begin))));
    if (end > begin) items.push_back(Make(Zeros{end - begin}));
    bytes.remove_prefix(end);
  }
  return items;
}

bool IsZeros(const Items& items) {
  return std::all_of(items.begin(), items.end(), [](const Item& item) {
    if (const auto* group = std::get_if<Group>(&item.what)) {
      return IsZeros(group->items);
    }
    const auto* const text = std::get_if<Text>(&item.what);
    return std::holds_alternative<Zeros>(item.what) ||
           (text != nullptr && text->pieces[0].find_first_not_of('\0') == std::string::npos);
  });
}

Items Grouped(Items items) {
  if (items.size() == 1) return items;
  Items group;
  group.push_back(Make(Group{std::move(items)}));
  return group;
}

}  // namespace gguf::corpus
