// Each script asks `claims __complete` and hands on what it says: a candidate and its description a line, and
// `:files` or `:folders` where the shell is to complete paths. All else, what fits where, is decided in candidates.ts.

const bash = `# claims completion for bash; in ~/.bashrc: eval "$(claims completion bash)"
_claims() {
  local words=() rest=$COMP_LINE lead word i
  # Readline splits at = and : as well; what stands together is one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    lead=\${rest%%[![:space:]]*}
    rest=\${rest#"$lead"}
    rest=\${rest#"$word"}
    if [[ -z $lead && \${#words[@]} -gt 0 ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
  done
  local typed=\${words[\${#words[@]}-1]} breaks=\${COMP_WORDBREAKS//[^=:]/} part value
  part=$typed
  [[ -n $breaks ]] && part=\${typed##*[$breaks]}
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    case $value in
      :files | :folders)
        compopt -o filenames 2> /dev/null
        local action=-f path
        [[ $value == :folders ]] && action=-d
        while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$action" -- "$part")
        ;;
      ?*) COMPREPLY+=("\${value#"\${typed%"$part"}"}") ;;
    esac
  done < <(claims __complete -- "\${words[@]:1}" 2> /dev/null)
}
complete -F _claims claims
`;

const zsh = `#compdef claims
# claims completion for zsh; in ~/.zshrc, after compinit: eval "$(claims completion zsh)"
# or as a file named _claims in a folder of $fpath.
_claims() {
  local -a candidates
  local line paths
  while IFS= read -r line; do
    case $line in
      :files) paths=_files ;;
      :folders) paths=_path_files ;;
      *) candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done < <(claims __complete -- "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2> /dev/null)
  (( \${#candidates} )) && _describe -t values 'claims' candidates
  if [[ -n $paths ]]; then
    compset -P '--*='
    [[ $paths == _files ]] && _files || _path_files -/
  fi
}
if [[ $funcstack[1] == _claims ]]; then _claims "$@"; else compdef _claims claims; fi
`;

const fish = `# claims completion for fish; in ~/.config/fish/config.fish: claims completion fish | source
function __claims_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (claims __complete -- $words[2..-1] 2>/dev/null)
        switch $line
            case :files :folders
                set -l assigned (string match -r '^--[^=]*=' -- $words[-1])
                set -l typed (string replace -r -- '^--[^=]*=' '' $words[-1])
                if test $line = :folders
                    __fish_complete_directories "$typed" | string replace -r -- '^' "$assigned"
                else
                    __fish_complete_path "$typed" | string replace -r -- '^' "$assigned"
                end
            case '*'
                echo $line
        end
    end
end
complete -c claims -f -a '(__claims_complete)'
`;

const powershell = `# claims completion for PowerShell; in $PROFILE: claims completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName claims -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements |
        Where-Object { $_.Extent.EndOffset -le $cursorPosition } |
        Select-Object -Skip 1 |
        ForEach-Object { $_.Extent.Text.Trim('"', "'") })
    # An empty last word gets lost on its way to a program in older versions: it is told by a switch.
    $lines = if ($wordToComplete -eq '') { claims __complete --new-word '--' @words 2> $null }
        else { claims __complete '--' @words 2> $null }
    foreach ($line in $lines) {
        $value, $description = $line -split "\`t", 2
        if ($value -eq ':files' -or $value -eq ':folders') {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
        } else {
            if (-not $description) { $description = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
        }
    }
}
`;

/** The script for each shell. */
export const SCRIPTS = { bash, zsh, fish, powershell } as const;
