#include "list_plugin.h"
