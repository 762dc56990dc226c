// The public interface of vargp: continual learning with Gaussian processes.
#pragma once

#include "vargp/api/classifier.h"
#include "vargp/api/regressor.h"
