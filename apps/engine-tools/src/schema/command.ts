import { FILE_KINDS, type FileKind, fileSchema } from '@engine/api'
import { Argument, type Command } from 'commander'
import { writeReport } from '../output.ts'

interface SchemaFlags {
  readonly output?: string
}

/** `engine schema` */
export function defineSchema(command: Command): void {
  command
    .addArgument(new Argument('<kind>', 'the kind of file').choices(FILE_KINDS))
    .option('-o, --output <file>', 'where the schema goes (default: standard output)')
    .addHelpText(
      'after',
      '\nServers have the schemas at `/schemas/KIND.json`. A file may name its schema in `$schema`. For Visual Studio Code:\n  "json.schemas": [{"fileMatch": ["rules/*.json", "!*.cases.json"], "url": "./schemas/ruleset.json"}]',
    )
    .action(async (kind: FileKind, { output }: SchemaFlags) => {
      await writeReport(`${JSON.stringify(fileSchema(kind), undefined, 2)}\n`, output)
    })
}
