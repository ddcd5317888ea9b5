import type { ObjectValue, Value } from '@engine/expression'
import {
  canonicalText,
  commitmentOf,
  type DecisionEntry,
  type Evidence,
  type ProgramParts,
  programParts,
  type Receipt,
  ReceiptLog,
  receiptOf,
  type SaltedText,
  separateFields,
  type SignedTree,
} from '@engine/receipts'
import { parsePrivateKey } from '@engine/signing'
import { createHash, createPublicKey, type KeyObject } from 'node:crypto'

/** A key whose private half is a hash of its name: the same in every run. */
export function testKey(name: string): { readonly privateKey: KeyObject; readonly publicText: string } {
  const privateKey = parsePrivateKey(createHash('sha256').update(name).digest('base64'))
  return { privateKey, publicText: createPublicKey(privateKey).export({ format: 'raw-public' }).toString('base64') }
}

/** A salt of a name: the same in every run. */
const testSalt = (name: string) => createHash('sha256').update(name).digest().subarray(0, 16).toString('base64url')

const DIGEST = createHash('sha256').update('rules').digest('hex')
const PARTS: ProgramParts = programParts({ digest: DIGEST, name: 'adult-check', version: '1.4.0' }, undefined)

/** 2026-11-28. */
export const START = 1_795_824_000_000

export interface TestDecision {
  readonly input: ObjectValue
  /** Another text of the evidence of the input than the canonical one. */
  readonly inputText?: string
  readonly output?: Value
  readonly code?: string
  readonly message?: string
  readonly error?: string
  readonly calls?: Value
  readonly fields?: readonly string[]
  readonly uses?: DecisionEntry['uses']
  readonly parts?: ProgramParts
  readonly now?: number
}

/** A chain with its evidence, to which tests add decisions. */
export function testChain(key: KeyObject, instance = 'eu-1/01990000-0000-7000-8000-000000000000') {
  const log = new ReceiptLog({ instance, engine: '0.2.0', privateKey: key })
  const evidence = new Map<number, Evidence>()
  let time = START
  let salts = 0
  const salted = (value: Value): SaltedText => [testSalt(`${instance} ${salts++}`), canonicalText(value)]
  return {
    log,
    add(decision: TestDecision): number {
      const { input, output = {}, code = 'ADULT', message = '', error, calls, fields = [], uses = [] } = decision
      const separated = separateFields(input, fields, () => testSalt(`${instance} ${salts++}`))
      const [salt, text] = salted(separated.input)
      const shown: { -readonly [Part in keyof Evidence]: Evidence[Part] } = {
        input: [salt, decision.inputText ?? text],
      }
      if (error === undefined) {
        shown.output = salted(output)
        shown.message = salted(message)
      }
      if (calls !== undefined) shown.calls = salted(calls)
      if (fields.length > 0) shown.fields = separated.fields
      time += 5
      const seq = log.add(
        {
          parts: decision.parts ?? PARTS,
          now: decision.now ?? time - 1,
          outcome:
            error === undefined
              ? {
                  code,
                  message: commitmentOf(shown.message as SaltedText),
                  output: commitmentOf(shown.output as SaltedText),
                }
              : { error },
          tenant: 'default',
          trust: {
            calls: shown.calls === undefined ? '' : commitmentOf(shown.calls),
            input: commitmentOf(shown.input as SaltedText),
          },
          uses,
        },
        time,
      )
      evidence.set(seq, shown)
      return seq
    },
    sign(): SignedTree {
      const signed = log.checkpoint((time += 1))
      if (signed === undefined) throw new Error('there is nothing to sign')
      return signed
    },
    receipt: (signed: SignedTree, seq: number): Receipt => receiptOf(signed, seq, evidence.get(seq)),
    now: () => time,
  }
}

/** The lines of a tree in a log. */
export const linesOf = ({ entries, checkpoint, signature }: SignedTree): readonly string[] => [
  ...entries,
  JSON.stringify({ checkpoint, signature }),
]
