// The commit that the program was built from. Each build makes the source file (cmake/commit.cmake).
#pragma once

// The commit, 40 hex digits; "" for a build outside of a repository.
const char *tenon_commit(void);
