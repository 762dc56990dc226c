// Tables in text: RFC 4180 and what people write besides it.
//
// Cells may be quoted ("" within is one quote; newlines and delimiters within are text); lines end
// with LF, CRLF or CR; a byte order mark and blank lines are passed over; every row has as many
// cells as the first. The first row has names if none of its cells is a number, or if one is text
// where the rows below have numbers.
//
// Speed: a cell that is wanted as a number is parsed where it stands, and the parser's stop is
// taken for the cell's end if a delimiter or the line's end follows. Only what fails there (blanks,
// quotes, missing values, errors) is looked at again.
#pragma once

#include <memory>

#include "vargp/data/table.h"

namespace vargp {

std::unique_ptr<TableReader> read_csv(std::unique_ptr<Bytes> bytes, const TableOptions& options);

}  // namespace vargp
