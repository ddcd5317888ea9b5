import { generateKeys } from '@engine/signing'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder with a key, and the options of a server that keeps receipts there. */
export interface ReceiptFolder {
  readonly folder: string
  /** The directory of receipts. */
  readonly directory: string
  readonly keyFile: string
  /** The file of the first public key. */
  readonly publicFile: string
  readonly options: readonly string[]
  /** Replaces the private key; the file of its public key. */
  rotate(name: string): string
}

/** @param more further options, which win */
export function receiptFolder(mode: 'ask' | 'all', ...more: readonly string[]): ReceiptFolder {
  const folder = mkdtempSync(join(tmpdir(), 'engine-receipts-'))
  const [directory, keyFile] = [join(folder, 'receipts'), join(folder, 'private.key')]
  const rotate = (name: string) => {
    const { privateKey, publicKey } = generateKeys()
    const publicFile = join(folder, `${name}.pub`)
    writeFileSync(keyFile, `${privateKey}\n`, { mode: 0o600 })
    writeFileSync(publicFile, `${publicKey}\n`)
    return publicFile
  }
  const publicFile = rotate('first')
  const options = [
    '--receipts',
    mode,
    '--receipts-key',
    keyFile,
    '--receipts-dir',
    directory,
    '--instance-id',
    'eu-1',
    ...more,
  ]
  return { folder, directory, keyFile, publicFile, options, rotate }
}
