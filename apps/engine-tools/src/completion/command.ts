import { Argument, type Command } from 'commander'
import { completedCommand, completionScript, type Shell, SHELLS } from './script.ts'

/** `engine completion` */
export function defineCompletion(command: Command): void {
  command
    .addArgument(new Argument('<shell>', 'whose script is printed').choices(SHELLS))
    .addHelpText(
      'after',
      '\nbash: source <(engine completion bash)   zsh: source <(engine completion zsh)   fish: engine completion fish | source',
    )
    .action((shell: Shell) => {
      process.stdout.write(completionScript(shell, completedCommand(command.parent ?? command)))
    })
}
