# claims completion for bash; in ~/.bashrc: eval "$(claims completion bash)"
_claims() {
  local words=() rest=$COMP_LINE lead word i
  # Readline splits at = and : as well; what stands together is one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    lead=${rest%%[![:space:]]*}
    rest=${rest#"$lead"}
    rest=${rest#"$word"}
    if [[ -z $lead && ${#words[@]} -gt 0 ]]; then
      words[${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
  done
  local typed=${words[${#words[@]}-1]} breaks=${COMP_WORDBREAKS//[^=:]/} part value
  part=$typed
  [[ -n $breaks ]] && part=${typed##*[$breaks]}
  COMPREPLY=()
  while IFS=$'\t' read -r value _; do
    case $value in
      :files | :folders)
        compopt -o filenames 2> /dev/null
        local action=-f path
        [[ $value == :folders ]] && action=-d
        while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$action" -- "$part")
        ;;
      ?*) COMPREPLY+=("${value#"${typed%"$part"}"}") ;;
    esac
  done < <(claims __complete -- "${words[@]:1}" 2> /dev/null)
}
complete -F _claims claims
