// Metrics of accuracy matrices and of probabilities: vargp/eval, on anybody's arrays.
#include "vargp/eval/metrics.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <vector>

#include "python/bindings/module.h"
#include "vargp/eval/accuracy_matrix.h"

namespace vargp::python {
namespace {

namespace py = pybind11;

AccuracyMatrix matrix(const RowMat<double>& rows, std::vector<Index> counts,
                      std::vector<double> initial) {
  AccuracyMatrix out(std::move(counts), std::move(initial));
  for (Index i = 0; i < rows.rows(); ++i)
    out.add_row({rows.row(i).data(), static_cast<std::size_t>(rows.cols())});
  return out;
}

}  // namespace

void define_metrics(py::module_& module) {
  py::class_<AccuracyMatrix>(module, "AccuracyMatrix")
      .def(py::init(&matrix), py::arg("rows"), py::arg("counts"), py::arg("initial"))
      .def("final_accuracy", &AccuracyMatrix::final_accuracy)
      .def("mean_task_accuracy", &AccuracyMatrix::mean_task_accuracy)
      .def("forgetting", py::overload_cast<>(&AccuracyMatrix::forgetting, py::const_))
      .def("backward_transfer", &AccuracyMatrix::backward_transfer)
      .def("forward_transfer", &AccuracyMatrix::forward_transfer);
  module.def(
      "nll", [](const Mat<double>& P, const std::vector<int>& y) { return nll(P, y); },
      py::arg("P"), py::arg("y"));
  module.def(
      "mean_entropy", [](const Mat<double>& P) { return mean_entropy(P); }, py::arg("P"));
  module.def(
      "calibration_bins",
      [](const Mat<double>& P, const std::vector<int>& y, int bins) {
        std::vector<Index> count;
        std::vector<double> confidence, accuracy;
        for (const CalibrationBin& bin : calibration_bins(P, y, bins)) {
          count.push_back(bin.count);
          confidence.push_back(bin.confidence);
          accuracy.push_back(bin.accuracy);
        }
        return py::make_tuple(count, confidence, accuracy);
      },
      py::arg("P"), py::arg("y"), py::arg("bins"));
  module.def(
      "calibration_error",
      [](const Mat<double>& P, const std::vector<int>& y, int bins) {
        return calibration_error(calibration_bins(P, y, bins));
      },
      py::arg("P"), py::arg("y"), py::arg("bins"));
}

}  // namespace vargp::python
