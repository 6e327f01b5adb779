import { command } from "../framework/command.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

export const completion = command({
  name: "completion",
  summary: "print the completion script of a shell",
  output: "bytes",
  arguments: [{ name: "shell", help: "bash, zsh or fish", choices: SHELLS }],
  examples: [
    'eval "$(claims completion bash)"  # in ~/.bashrc',
    'eval "$(claims completion zsh)"  # in ~/.zshrc, after compinit',
    "claims completion fish | source  # in ~/.config/fish/config.fish",
  ],
  async run(_, { args: { shell }, global }) {
    const { SCRIPTS } = await import("../completion/scripts.ts");
    const script = SCRIPTS[shell];
    return global.json
      ? { kind: "record", json: { shell, script }, blocks: [] }
      : { kind: "stream", body: [script] };
  },
});
