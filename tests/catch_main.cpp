// SPDX-License-Identifier: Apache-2.0
// Catch2 3 brings its own runner but no main of its own unless asked; Catch2 2 needs this macro once.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>

int main(int argc, char** argv) {
  return Catch::Session().run(argc, argv);
}
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
