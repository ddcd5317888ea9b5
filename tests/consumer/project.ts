import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { LeftOut } from '../clients/check.ts'
import { CommandFailed, run } from '../clients/command.ts'
import { SCOPE } from '../../build/scope.ts'

/** An empty project of a user: `npm install` puts packages into it. */
export class Project {
  readonly folder: string
  readonly #tarballs: readonly string[]
  readonly #installed = new Map<string, Promise<void>>()
  #waiting: Promise<unknown> = Promise.resolve()

  constructor(folder: string, tarballs: readonly string[]) {
    this.folder = folder
    this.#tarballs = tarballs
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), '{"name": "consumer", "version": "1.0.0", "type": "module"}\n')
  }

  /** Install packages of ours from their tarballs, in one command. */
  installOwn(names: readonly string[]): Promise<void> {
    const prefix = SCOPE.slice(1)
    const files = names.map((name) =>
      this.#tarballs.find((file) => basename(file).replace(/-\d.*$/, '') === `${prefix}-${name}`),
    )
    return this.#install(files.map((file, index) => file ?? `no tarball of ${names[index]}`))
  }

  /** Install other projects' packages. Rejects with `LeftOut` where the registry does not have them or is not reached. */
  async install(...names: readonly string[]): Promise<void> {
    try {
      await this.#install(names)
    } catch (error) {
      if (
        error instanceof CommandFailed &&
        /E404|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|EBADPLATFORM/.test(error.output)
      )
        throw new LeftOut(`${names.join(', ')} cannot be installed here`)
      throw error
    }
  }

  #install(names: readonly string[]): Promise<void> {
    const key = names.join(' ')
    const known = this.#installed.get(key)
    if (known !== undefined) return known
    const args = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', ...names]
    const installed = this.#waiting.then(() => run('npm', args, { cwd: this.folder })).then(() => undefined)
    this.#waiting = installed.catch(() => undefined)
    this.#installed.set(key, installed)
    return installed
  }

  write(path: string, content: string | Uint8Array): string {
    const file = join(this.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    return file
  }

  /** A program that was installed into this project. */
  bin(name: string): string {
    return join(this.folder, 'node_modules/.bin', name)
  }

  path(...parts: readonly string[]): string {
    return join(this.folder, ...parts)
  }
}

/** The projects of a run. */
export interface Projects {
  readonly tarballs: readonly string[]
  readonly libraries: Project
  readonly programs: Project
  /** Compilers, bundlers and other versions of Node. */
  readonly tools: Project
}

export interface ConsumerCheck {
  readonly name: string
  readonly run: (projects: Projects) => Promise<string>
}
