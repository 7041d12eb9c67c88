// Restrictions that a child gets between fork and exec. The parent prepares everything that needs
// memory or many calls, and the child only applies it.

#ifndef CONFINEMENT_H
#define CONFINEMENT_H

#include "child_process.h"

#include <linux/filter.h>

struct confinement {
  uint32_t wanted;
  int ruleset;  // Landlock ruleset; -1 for none
  const char *hidden_folder;
  const char *hidden_file;
  struct sock_filter filter[32];
  struct sock_fprog program;
};

// Prepares the restrictions in the parent. Returns 0, or -1 with errno set. Call confinement_end in
// both cases.
int confinement_prepare(struct confinement *confinement, uint32_t wanted, const char *folder, const char *file);

// Applies the restrictions to the calling process, which must have set PR_SET_NO_NEW_PRIVS. Returns
// NULL, or the name of the failed step with errno set.
// [between vfork and exec: affects nothing but the process itself]
const char *confinement_enter(const struct confinement *confinement);

// Releases the resources of confinement_prepare.
void confinement_end(struct confinement *confinement);

// Marks the calling process and its descendants. Returns 0, or -1 with errno set.
int confinement_mark(uint64_t mark);

#endif
