# SPDX-License-Identifier: MIT
# What `cmake --install` puts where, and the Debian package: `cpack -G DEB` in the build folder. The
# stand-in replica is for development and stays out.
include(GNUInstallDirs)
# Both take what is built, and build nothing.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

install(TARGETS pypto-serving-router fleetctl RUNTIME COMPONENT programs)
install(FILES docs/man/pypto-serving-router.1 docs/man/fleetctl.1
  DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT programs)
install(FILES docs/man/fleet-file.5 DESTINATION "${CMAKE_INSTALL_MANDIR}/man5" COMPONENT programs)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE packaging/hardening.conf
  DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/pypto-serving-router" COMPONENT programs)
install(FILES docs/tasks.md docs/security.md docs/comparison.md docs/bench.md docs/openapi.json
  docs/fleet.example.json docs/fleet.schema.json
  DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/pypto-serving-router/docs" COMPONENT programs)
install(FILES docs/prometheus/alerts.yml
  DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/pypto-serving-router/docs/prometheus" COMPONENT programs)
install(FILES docs/grafana/fleet.json
  DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/pypto-serving-router/docs/grafana" COMPONENT programs)
install(DIRECTORY docs/dashboard DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/pypto-serving-router/docs"
  COMPONENT programs)
install(FILES docs/fleet.schema.json
  DESTINATION "${CMAKE_INSTALL_DATADIR}/pypto-serving-router" COMPONENT programs)
# The unit names the program where it is installed, which is known at the installation only.
install(FILES packaging/pypto-serving-router.service DESTINATION lib/systemd/system
  COMPONENT programs)
install(CODE [[
  set(unit "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/systemd/system/pypto-serving-router.service")
  file(READ "${unit}" text)
  string(REPLACE "=/usr/bin/" "=${CMAKE_INSTALL_PREFIX}/bin/" text "${text}")
  file(WRITE "${unit}" "${text}")]] COMPONENT programs)

# completions(SHELL FILE FOLDER)
function(fleet_completion shell file folder)
  set(made "${CMAKE_BINARY_DIR}/completions/${shell}/${file}")
  add_custom_command(OUTPUT "${made}" COMMAND "${CMAKE_COMMAND}" -E make_directory
    "${CMAKE_BINARY_DIR}/completions/${shell}" COMMAND fleetctl completion ${shell} > "${made}"
    DEPENDS fleetctl VERBATIM)
  set_property(GLOBAL APPEND PROPERTY FLEET_COMPLETIONS "${made}")
  install(FILES "${made}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}" COMPONENT programs)
endfunction()
fleet_completion(bash fleetctl bash-completion/completions)
fleet_completion(zsh _fleetctl zsh/vendor-completions)
fleet_completion(fish fleetctl.fish fish/vendor_completions.d)
get_property(completions GLOBAL PROPERTY FLEET_COMPLETIONS)
add_custom_target(fleet_completions ALL DEPENDS ${completions})

# Under /etc whatever the prefix is, so in the package only.
install(FILES packaging/fleet.json DESTINATION /etc/pypto-serving-router
  COMPONENT configuration EXCLUDE_FROM_ALL)
install(FILES packaging/default DESTINATION /etc/default RENAME pypto-serving-router
  COMPONENT configuration EXCLUDE_FROM_ALL)
install(FILES packaging/logrotate DESTINATION /etc/logrotate.d RENAME pypto-serving-router
  COMPONENT configuration EXCLUDE_FROM_ALL)

set(CPACK_PACKAGE_NAME pypto-serving-router)
set(CPACK_PACKAGE_VENDOR pypto-serving-router)
set(CPACK_PACKAGE_CONTACT "the maintainers of pypto-serving-router <root@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Router for LLM serving replicas, and its admin client")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL programs configuration)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS adduser)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS openssh-client)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CMAKE_SOURCE_DIR}/packaging/conffiles"
  "${CMAKE_SOURCE_DIR}/packaging/postinst")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
