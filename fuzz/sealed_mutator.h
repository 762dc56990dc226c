// libFuzzer's own mutations where they are of use in a model file, with the checksums set right
// after most of them. Most changes of a header only make it no JSON, and end there: so most
// are of the tensors, and others of numbers in the header.
#pragma once

#include <algorithm>
#include <cctype>
#include <random>

#include "fuzz/reseal.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  std::uint64_t length = 0;
  if (size > sizeof length) std::memcpy(&length, data, sizeof length);
  std::uint8_t* const first = data + std::min(size, sizeof length);
  const std::size_t rest = size - std::min(size, sizeof length);
  const auto kind = random() % 16;
  if (kind == 0 || length == 0 || length >= rest) {
    size = LLVMFuzzerMutate(data, size, most);
  } else if (kind < 6) {
    std::uint8_t* const digit = std::find_if(first + random() % length, first + length,
                                             [](std::uint8_t c) { return std::isdigit(c) != 0; });
    if (digit != first + length) *digit = static_cast<std::uint8_t>('0' + random() % 10);
  } else {  // in place: the header says how many bytes there are
    LLVMFuzzerMutate(first + length, rest - length, rest - length);
  }
  if (random() % 8 != 0) vargp::reseal(data, size);
  return size;
}
