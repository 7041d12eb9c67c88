// What takes rights from a child between fork and exec. In three steps: what needs memory or many calls happens in the parent,
// what changes the process in the child.

#ifndef CONFINEMENT_H
#define CONFINEMENT_H

#include "child_process.h"

#include <linux/filter.h>

struct confinement {
  uint32_t wanted;
  int ruleset;  // of Landlock; -1 for none
  const char *hidden_folder;
  const char *hidden_file;
  struct sock_filter filter[32];
  struct sock_fprog program;
};

// Prepares the restrictions in the parent. 0, or -1 with errno; confinement_end is due either way.
int confinement_prepare(struct confinement *confinement, uint32_t wanted, const char *folder, const char *file);

// Applies them to the calling process, which has set PR_SET_NO_NEW_PRIVS. NULL, or the name of the step that failed, with errno.
// [between vfork and exec: touches nothing but the process itself]
const char *confinement_enter(const struct confinement *confinement);

// Frees what confinement_prepare has taken.
void confinement_end(struct confinement *confinement);

// Puts a mark on the calling process that its descendants inherit. 0, or -1 with errno.
int confinement_mark(uint64_t mark);

#endif
