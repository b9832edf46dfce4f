# Writes FILE, the source of cli/version.h, with the commit that SOURCE is at; leaves it untouched when it says so
# already, so that nothing is compiled anew. Run by each build: cmake -DSOURCE=… -DFILE=… -P cmake/commit.cmake
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND git -C ${SOURCE} rev-parse --verify HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE failed ERROR_QUIET)
if(failed)
    set(commit "")
endif()
file(CONFIGURE OUTPUT ${FILE}
    CONTENT "#include \"cli/version.h\"\n\nconst char *tenon_commit(void) {\n    return \"${commit}\";\n}\n")
