import { parseJson, quote } from '@engine/expression'
import { bytesOf, HASH_BYTES } from './base64url.ts'
import { parseCheckpoint } from './checkpoint.ts'
import { commitmentOf, type SaltedText } from './commitment.ts'
import { type DecisionEntry, parseEntry } from './entry.ts'
import type { Fault } from './fault.ts'
import { commitmentAt } from './fields.ts'
import { type ReceiptKeys, signatureFault } from './keys.ts'
import { Malformed } from './malformed.ts'
import { leafHash, rootByPath } from './merkle-tree.ts'
import { COMMITTED_PARTS, type Evidence, parseReceipt, type Receipt } from './receipt.ts'

/** A receipt with its faults. `receipt` and `entry` are undefined when it is malformed. */
export interface VerifiedReceipt {
  readonly faults: readonly Fault[]
  readonly receipt?: Receipt
  readonly entry?: DecisionEntry
}

/** Verifies the JSON text of a receipt with keys from an independent source. Linear in the text. */
export function verifyReceipt(text: string, keys: ReceiptKeys): VerifiedReceipt {
  try {
    const receipt = parseReceipt(text)
    const entry = parseEntry(receipt.entry)
    if (entry.kind === 'lost') throw new Malformed('the entry states a gap: it is no receipt of a decision')
    return { receipt, entry, faults: faultsOf(receipt, entry, keys) }
  } catch (error) {
    if (error instanceof Malformed) return { faults: [{ code: 'malformed', message: error.message }] }
    throw error
  }
}

function faultsOf(receipt: Receipt, entry: DecisionEntry, keys: ReceiptKeys): readonly Fault[] {
  const checkpoint = parseCheckpoint(receipt.checkpoint)
  const faults: Fault[] = []
  const signature = signatureFault(keys, checkpoint, receipt.checkpoint, receipt.signature)
  if (signature !== undefined) faults.push(signature)
  if (entry.instance !== checkpoint.instance)
    faults.push({ code: 'instance', message: 'the entry is of another instance than the checkpoint' })
  if (entry.seq !== checkpoint.first + receipt.index)
    faults.push({
      code: 'position',
      message: `the entry has the number ${entry.seq}, its place in the tree is another`,
    })
  if (entry.time > checkpoint.time)
    faults.push({ code: 'time', message: 'the decision ended after its checkpoint was signed' })
  const path = receipt.path.map((one) => bytesOf(one, HASH_BYTES))
  if (path.includes(undefined)) throw new Malformed(`\`path\` must have base64url of ${HASH_BYTES} bytes`)
  const root = rootByPath(leafHash(receipt.entry), receipt.index, checkpoint.count, path as readonly Buffer[])
  if (root?.toString('base64url') !== checkpoint.root)
    faults.push({ code: 'path', message: 'the path does not lead from the entry to the root of the checkpoint' })
  return [...faults, ...evidenceFaults(receipt.evidence ?? {}, entry)]
}

function evidenceFaults(evidence: Evidence, { result, trust }: DecisionEntry): readonly Fault[] {
  const committed = { ...trust, output: result?.output, message: result?.message }
  const faults = COMMITTED_PARTS.flatMap((part): readonly Fault[] => {
    const shown = evidence[part]
    if (shown === undefined) return []
    if (commitmentOf(shown) !== committed[part])
      return [{ code: part, message: `the evidence ${quote(part)} does not match the commitment of the entry` }]
    return textFaults(shown, part)
  })
  const { fields, input } = evidence
  if (fields === undefined) return faults
  if (input === undefined) return [...faults, { code: 'fields', message: 'there are `fields` but no `input`' }]
  const parsed = parseJson(input[1], { duplicateKeys: 'refuse', numbers: 'exact' })
  for (const [path, shown] of Object.entries(fields))
    if (parsed.kind === 'failed' || commitmentOf(shown) !== commitmentAt(parsed.value, path))
      faults.push({ code: 'fields', message: `the field ${quote(path)} does not match the commitment in the input` })
    else faults.push(...textFaults(shown, `fields.${path}`))
  return faults
}

/** Faults of a committed text that readers could interpret differently: it has a duplicate member or is not JSON. */
function textFaults([, text]: SaltedText, part: string): readonly Fault[] {
  const parsed = parseJson(text, { duplicateKeys: 'refuse', numbers: 'exact' })
  if (parsed.kind === 'parsed') return []
  return [{ code: 'malformed', message: `the evidence ${quote(part)} is not valid JSON: ${parsed.problem.message}` }]
}
