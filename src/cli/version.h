// What this program was built from. The source is made by each build (cmake/commit.cmake).
#pragma once

// The commit, 40 hex digits; "" when it was built outside of a repository.
const char *tenon_commit(void);
