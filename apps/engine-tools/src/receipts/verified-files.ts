import {
  canonicalText,
  type DecisionEntry,
  type Fault,
  type ReceiptKeys,
  reexecute,
  type ReExecution,
  verifyReceipt,
} from '@engine/receipts'
import type { RulesetDocument } from '@engine/ruleset'
import { withoutSignature } from '@engine/signing'
import { createHash } from 'node:crypto'
import { findRuleFiles } from '../check/rule-files.ts'
import { contentOf } from '../files.ts'
import { utf8Of } from './text-lines.ts'

/** One receipt of a file. */
export interface VerifiedText {
  /** The file, with the number of the line where it has several receipts. */
  readonly place: string
  readonly faults: readonly Fault[]
  readonly entry: DecisionEntry | undefined
  /** Undefined after a fault, and without `--rules`. */
  readonly reExecution: ReExecution | undefined
}

/** Rules by the digest of their content. */
export type Contents = ReadonlyMap<string, RulesetDocument>

/** The rule files at paths by the digests of their contents, which are computed here. Throws `ToolError`. */
export async function readContents(paths: readonly string[]): Promise<Contents> {
  const { files } = await findRuleFiles(paths)
  const contents = new Map<string, RulesetDocument>()
  for (const { document } of files) {
    if (document === undefined) continue
    const text = canonicalText(withoutSignature(document as RulesetDocument))
    contents.set(createHash('sha256').update(text).digest('hex'), document as RulesetDocument)
  }
  return contents
}

/** Verify the receipts of a file: one JSON document, or one a line. Throws `ToolError`. */
export async function verifyFile(
  path: string,
  keys: ReceiptKeys,
  rules: { readonly contents: Contents; readonly engine: string } | undefined,
): Promise<readonly VerifiedText[]> {
  const text = utf8Of(await contentOf(path))
  if (text === undefined) {
    const fault = { code: 'malformed', message: 'the file is not UTF-8' } as const
    return [{ place: path, faults: [fault], entry: undefined, reExecution: undefined }]
  }
  const texts = textsOf(text)
  const verified: VerifiedText[] = []
  for (const [index, one] of texts.entries()) {
    const { faults, receipt, entry } = verifyReceipt(one, keys)
    const isSound = faults.length === 0 && receipt !== undefined && entry !== undefined
    verified.push({
      place: texts.length === 1 ? path : `${path}:${index + 1}`,
      faults,
      entry,
      reExecution:
        isSound && rules !== undefined
          ? await reexecute(entry, receipt.evidence ?? {}, {
              engine: rules.engine,
              content: (digest) => rules.contents.get(digest),
            })
          : undefined,
    })
  }
  return verified
}

/** How a receipt begins where a file has one a line. */
const RECEIPT_LINE = '{"format":'

function textsOf(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.length > 1 && lines.every((line) => line.startsWith(RECEIPT_LINE)) ? lines : [text]
}
