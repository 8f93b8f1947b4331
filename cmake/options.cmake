# What every target of the project is compiled and linked with.
add_library(quipd_options INTERFACE)
target_include_directories(quipd_options INTERFACE ${PROJECT_SOURCE_DIR}/daemon)
target_compile_options(quipd_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align
  -Wconversion -Wno-sign-conversion -Wimplicit-fallthrough $<$<BOOL:${QUIPD_WERROR}>:-Werror>)

if(QUIPD_SANITIZE)
  target_compile_options(quipd_options INTERFACE
    -fsanitize=${QUIPD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(quipd_options INTERFACE -fsanitize=${QUIPD_SANITIZE})
endif()

if(QUIPD_FUZZ)
  target_compile_options(quipd_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

if(QUIPD_COVERAGE)
  target_compile_options(quipd_options INTERFACE --coverage)
  target_link_options(quipd_options INTERFACE --coverage)
endif()

if(QUIPD_HARDEN)
  target_compile_options(quipd_options INTERFACE
    -fstack-protector-strong -fstack-clash-protection -fcf-protection
    $<$<CONFIG:RelWithDebInfo,Release>:-D_FORTIFY_SOURCE=2>)
  target_link_options(quipd_options INTERFACE -Wl,-z,relro,-z,now)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
endif()

# quipd_room(NAME SOURCES file... LINK library...): one library for one folder of daemon/. What a
# room links is all that it may include; the linker holds the direction of the arrows.
function(quipd_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ROOM_SOURCES})
  target_link_libraries(${name} PUBLIC quipd_options ${ROOM_LINK})
endfunction()
