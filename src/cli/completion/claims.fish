# claims completion for fish; in ~/.config/fish/config.fish: claims completion fish | source
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
