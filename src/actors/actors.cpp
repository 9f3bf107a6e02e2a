// SPDX-License-Identifier: MIT
namespace fleet {}
