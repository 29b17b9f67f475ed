// Unfolds the menu where there is room beside the text.
//
// SPDX-License-Identifier: Apache-2.0
"use strict";

const wide = matchMedia("(min-width: 56rem)");
const follow = () => document.querySelector(".menu details").open = wide.matches;
wide.addEventListener("change", follow);
follow();
