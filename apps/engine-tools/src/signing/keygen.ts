import { generateKeys } from '@engine/signing'
import type { Command } from 'commander'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, makeDirectory, writeError } from '../files.ts'
import { addJson, type JsonFlag, printResult } from '../output.ts'
import { ToolError } from '../tool.ts'

interface KeygenFlags extends JsonFlag {
  readonly outputDir: string
  readonly prefix: string
}

/** `engine keygen` */
export function defineKeygen(command: Command): void {
  addJson(command)
    .option('-o, --output-dir <dir>', 'where the two files go', '.')
    .option('-p, --prefix <prefix>', 'what their names begin with', '')
    .addHelpText(
      'after',
      '\nWrites <prefix>public.key and <prefix>private.key, each one line of base64. The private key can be read by its\nowner only (mode 0600). Files that are there already are never replaced.',
    )
    .action(async ({ outputDir, prefix, json }: KeygenFlags) => {
      if (/[/\\\0]/.test(prefix))
        throw new ToolError('--prefix: a file name cannot hold `/`, `\\` or NUL; --output-dir names a folder')
      const { publicKey, privateKey } = generateKeys()
      const files = {
        private: { path: join(outputDir, `${prefix}private.key`), text: privateKey, mode: 0o600 },
        public: { path: join(outputDir, `${prefix}public.key`), text: publicKey, mode: 0o644 },
      }
      await makeDirectory(outputDir).catch((cause: unknown) => {
        throw writeError(outputDir, cause)
      })
      await writeNew(files.private)
      await writeNew(files.public).catch(async (error: unknown) => {
        await rm(files.private.path, { force: true })
        throw error
      })
      printResult(
        { json },
        { public_key: files.public.path, private_key: files.private.path },
        `public key:  ${files.public.path}\nprivate key: ${files.private.path} (keep it secret)`,
      )
    })
}

async function writeNew({ path, text, mode }: { path: string; text: string; mode: number }): Promise<void> {
  try {
    await writeFile(path, `${text}\n`, { flag: 'wx', mode, flush: true })
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw writeError(path, cause)
    throw new ToolError(
      `${path}: a key already exists, and a lost key cannot be recreated: move it away or give another --prefix`,
    )
  }
}
