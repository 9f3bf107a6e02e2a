# SPDX-License-Identifier: MIT
# Shared by the rules: which files there are. Paths are relative to the tree, build output is left out.

# list_files: every file of the tree in the working directory.
list_files() {
  find . -path ./.git -prune -o -path './build*' -prune -o -path ./.cache -prune -o \
    -name node_modules -prune -o -type f -print |
    sed 's,^\./,,' | sort
}

# list_cpp: the C++ files.
list_cpp() { list_files | grep -E '\.(cpp|hpp)$' || true; }

# list_scripts: bash programs and their parts.
list_scripts() {
  local file line
  while IFS= read -r file; do
    line=''
    IFS= read -r -n 64 line < "$file" 2> /dev/null || true
    if [[ $file == *.bash || $line =~ ^#!.*bash ]]; then
      echo "$file"
    fi
  done < <(list_files)
}
