import { isObject } from '@engine/expression'
import { canonicalText, programParts, type ProgramParts } from '@engine/receipts'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { bareDigest } from '../catalog/content-digest.ts'
import { nodeDisk } from '../store/disk.ts'
import { makeDirectoryDurably, moveDurably, writeTemporary } from '../store/durable-files.ts'
import { documentInTurns, type StoredRuleset } from '../store/store.ts'

/** A content that was executed: its digest and the constant parts of its entries. */
export interface DecidingContent {
  readonly digest: string
  readonly parts: ProgramParts
}

/** Keeps every content that made a decision, because verifying a receipt executes the content again. */
export class KeptContents {
  readonly #directory: string
  readonly #known = new WeakMap<StoredRuleset, DecidingContent>()
  readonly #writing = new Map<StoredRuleset, Promise<DecidingContent>>()

  /** @param directory directory of the receipts */
  constructor(directory: string) {
    this.#directory = join(directory, 'content')
  }

  /** Returns a promise until the content is on disk; it rejects with the system's error, and the next call retries. */
  of(stored: StoredRuleset): DecidingContent | Promise<DecidingContent> {
    const known = this.#known.get(stored)
    if (known !== undefined) return known
    const writing = this.#writing.get(stored) ?? this.#keep(stored).finally(() => void this.#writing.delete(stored))
    this.#writing.set(stored, writing)
    return writing
  }

  async #keep(stored: StoredRuleset): Promise<DecidingContent> {
    const { name, version } = stored
    const digest = await bareDigest(stored)
    const file = `${digest}.json`
    const path = join(this.#directory, file)
    if ((await nodeDisk.kind(path)) === 'absent') {
      await makeDirectoryDurably(nodeDisk, this.#directory)
      await moveDurably(nodeDisk, await writeTemporary(nodeDisk, this.#directory, file, stored.text), path)
    }
    const { config } = await documentInTurns(stored)
    const contract = config !== undefined && isObject(config) ? config['contract'] : undefined
    const contractDigest = contract === undefined ? undefined : hash('sha256', canonicalText(contract), 'hex')
    const content = { digest, parts: programParts({ digest, name, version }, contractDigest) }
    this.#known.set(stored, content)
    return content
  }
}
