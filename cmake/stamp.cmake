# Run by every build: writes the header FILE with the version and the commit that records are
# stamped with. The file is touched only if it says something new, so nothing is compiled for it
# that has not changed.
#   cmake -DSOURCE=.. -DFILE=.. -DVERSION=.. -P stamp.cmake
execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=40 --dirty --exclude=*
                OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE
                RESULT_VARIABLE failed)
if(failed OR NOT commit)
  set(commit unknown)
endif()
set(text "#define VARGP_VERSION \"${VERSION}\"\n#define VARGP_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS ${FILE})
  file(READ ${FILE} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${FILE} "${text}")
endif()
