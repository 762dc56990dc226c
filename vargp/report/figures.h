// The figures of a report: each a table of numbers, how to draw it, and a title that says what is
// to be seen. The page draws them, the terminal prints them, tests read them.
//
// A figure is JSON:
//   id       its name in the page
//   kind     which chart: lines, bars, matrix, reliability, curves, surfaces, images, inputs, dots;
//            or table: none
//   name     of the figure in the contents
//   title    what is seen; caption: how to read it
//   columns  of the table: name, label, and format (text, integer, number, percent, seconds, bytes)
//   rows     the numbers, one list a row
// and what else its kind needs: names of columns, a reference, pictures.
#pragma once

#include <string>
#include <vector>

#include "vargp/report/series.h"

namespace vargp {

// "split-mnist" as people write it.
std::string experiment_title(const std::string& experiment);

// "98.05 %", "98.05 ± 0.02 %" over several seeds; a share in, percent out.
std::string percent(const Spread& share);

// Those figures of one experiment for which its series hold the numbers.
std::vector<Json> figures(const std::vector<Series>& series);

}  // namespace vargp
