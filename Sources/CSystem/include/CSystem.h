// The parts of this package that must be written in C. Each header gives its reason.

#ifndef CSYSTEM_H
#define CSYSTEM_H

#include "allocator.h"
#include "child_process.h"
#include "crash_note.h"
#include "descriptors.h"
#include "digest.h"

#endif
