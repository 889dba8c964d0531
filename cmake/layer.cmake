# clusterwright_layer(NAME PUBLIC targets... PRIVATE targets...)
#
# One folder of the house becomes the static library clusterwright_NAME. Programs (main.cpp) stay out of it.
function(clusterwright_layer name)
  cmake_parse_arguments(layer "" "" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.cpp ${PROJECT_SOURCE_DIR}/${name}/*.hpp)
  list(FILTER sources EXCLUDE REGEX "main\\.cpp$")
  add_library(clusterwright_${name} STATIC ${sources})
  set_target_properties(clusterwright_${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(clusterwright_${name} PUBLIC clusterwright_options ${layer_PUBLIC} PRIVATE ${layer_PRIVATE})
endfunction()
