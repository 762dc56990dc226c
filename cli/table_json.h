// What the commands on people's own data print, as JSON and as tables.
#pragma once

#include <string>
#include <vector>

#include "vargp/io/record.h"
#include "vargp/table/table_model.h"

namespace vargp {

Json to_json(const TableModel& model, const TaskRecord& record);
Json to_json(const TableModel& model, const TableReport& report);
Json to_json(const Moved& moved, bool regression);
Json to_json(const TableModel& model);  // all that can be said of it

// How far each task has moved since it was learned.
std::string moved_table(const TableModel& model, const std::vector<Moved>& moved);

}  // namespace vargp
