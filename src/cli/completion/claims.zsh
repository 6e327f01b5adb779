#compdef claims
# claims completion for zsh; in ~/.zshrc, after compinit: eval "$(claims completion zsh)"
# or as a file named _claims in a folder of $fpath.
_claims() {
  local -a candidates
  local line paths
  while IFS= read -r line; do
    case $line in
      :files) paths=_files ;;
      :folders) paths=_path_files ;;
      *) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done < <(claims __complete -- "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2> /dev/null)
  (( ${#candidates} )) && _describe -t values 'claims' candidates
  if [[ -n $paths ]]; then
    compset -P '--*='
    [[ $paths == _files ]] && _files || _path_files -/
  fi
}
if [[ $funcstack[1] == _claims ]]; then _claims "$@"; else compdef _claims claims; fi
