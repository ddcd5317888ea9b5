import type { Value } from '@engine/expression'
import { Malformed, parseReceiptKeys, type ReceiptKeys } from '@engine/receipts'
import { BadKey } from '@engine/signing'
import type { Command } from 'commander'
import { contentOf } from '../files.ts'
import { addJson, type JsonFlag, printResult } from '../output.ts'
import { counted } from '../quantity.ts'
import { withFile } from '../tool.ts'
import { readContents, verifyFile, type VerifiedText } from './verified-files.ts'
import { type VerifiedLog, verifyLogs } from './verified-log.ts'

interface VerifyReceiptFlags extends JsonFlag {
  readonly key: readonly string[]
  readonly rules?: readonly string[] | undefined
  readonly log?: string | undefined
}

/** Nothing is wrong, but a decision could not be executed again. */
const NOT_REPRODUCIBLE = 3

/** `engine verify-receipt` */
export function defineVerifyReceipt(command: Command): void {
  addJson(command)
    .argument('[files...]', 'receipts: one JSON document, or one a line')
    .requiredOption(
      '-k, --key <files...>',
      'public keys, as `engine keygen` writes them, or a list with validities; get them from someone you trust',
    )
    .option('-r, --rules <paths...>', 'rule files or folders with the contents that decided: decide again and compare')
    .option('-l, --log <dir>', "verify a whole log: the folder of an instance, or an engine's --receipts-dir")
    .addHelpText(
      'after',
      '\nExit codes: 0 holds, 1 a fault or a different decision, 2 wrong call, 3 holds, but cannot be executed again.',
    )
    .action(async (files: readonly string[], { key, rules, log, json }: VerifyReceiptFlags) => {
      if (files.length === 0 && log === undefined) command.error('error: name a receipt, or a log by --log')
      const keys = await readKeys(key)
      const contents = rules === undefined ? undefined : await readContents(rules)
      const engine = command.parent?.version() ?? ''
      const receipts: VerifiedText[] = []
      for (const file of files)
        receipts.push(...(await verifyFile(file, keys, contents === undefined ? undefined : { contents, engine })))
      const logs = log === undefined ? [] : await verifyLogs(log, keys)
      printResult({ json }, resultOf(receipts, logs), wordsOf(receipts, logs))
      process.exitCode = exitCodeOf(receipts, logs)
    })
}

async function readKeys(paths: readonly string[]): Promise<ReceiptKeys> {
  const keys = new Map<string, ReturnType<ReceiptKeys['get']> & object>()
  for (const path of paths) {
    const text = (await contentOf(path)).toString('latin1')
    const read = withFile(path, [BadKey, Malformed], () => parseReceiptKeys(text))
    for (const [id, one] of read) keys.set(id, one)
  }
  return keys
}

function exitCodeOf(receipts: readonly VerifiedText[], logs: readonly VerifiedLog[]): number {
  const isFaulty = ({ faults, reExecution }: VerifiedText) => faults.length > 0 || reExecution?.kind === 'different'
  if (receipts.some(isFaulty) || logs.some(({ faultCount }) => faultCount > 0)) return 1
  return receipts.some(({ reExecution }) => reExecution?.kind === 'not-reproducible') ? NOT_REPRODUCIBLE : 0
}

function wordsOf(receipts: readonly VerifiedText[], logs: readonly VerifiedLog[]): string {
  return [...receipts.flatMap(receiptWords), ...logs.flatMap(logWords)].join('\n')
}

function receiptWords({ place, faults, entry, reExecution }: VerifiedText): readonly string[] {
  if (faults.length > 0 || entry === undefined)
    return faults.map(({ code, message }) => `✗ ${place}: ${code}: ${message}`)
  const { ruleset, result, error, instance, seq, time } = entry
  const outcome = result === undefined ? `failed with \`${error}\`` : `\`${result.code}\``
  const decided = `${place}: ${outcome} by ${ruleset.name} ${ruleset.version} at ${new Date(time).toISOString()} (${instance}#${seq})`
  switch (reExecution?.kind) {
    case undefined:
      return [`✓ ${decided}`]
    case 'equal':
      return [`✓ ${decided}: the rules decide the same again (equal)`]
    case 'different':
      return [`✗ ${decided}: the rules decide differently (different): ${reExecution.paths.join(', ')}`]
    case 'not-reproducible':
      return [`✓ ${decided}: not reproducible: ${reExecution.reason}`]
  }
}

function logWords({ directory, summary, faults, faultCount }: VerifiedLog): readonly string[] {
  const { entries, checkpoints, anchor, lost, instance } = summary
  const start = anchor === undefined ? '' : `, anchored at checkpoint ${anchor}: earlier ones were removed`
  const gap = lost === 0 ? '' : `, ${counted(lost, 'decision')} without a receipt`
  const extent = `${counted(entries, 'entry', 'entries')}, ${counted(checkpoints, 'checkpoint')}${start}${gap}`
  if (faultCount === 0) return [`✓ ${directory}: the log of ${instance} holds (${extent})`]
  const more =
    faultCount > faults.length ? [`✗ ${directory}: ${counted(faultCount - faults.length, 'more fault')}`] : []
  return [...faults.map(({ place, code, message }) => `✗ ${place}: ${code}: ${message}`), ...more]
}

function resultOf(receipts: readonly VerifiedText[], logs: readonly VerifiedLog[]): Value {
  return {
    valid: exitCodeOf(receipts, logs) !== 1,
    receipts: receipts.map(({ place, faults, entry, reExecution }) => ({
      place,
      valid: faults.length === 0,
      faults: faults.map((fault) => ({ ...fault })),
      ...(entry === undefined ? {} : { ruleset: { ...entry.ruleset }, instance: entry.instance, seq: entry.seq }),
      ...(reExecution === undefined ? {} : { re_execution: { ...reExecution } }),
    })),
    logs: logs.map(({ directory, summary, faults, faultCount }) => ({
      directory,
      valid: faultCount === 0,
      faults: faults.map((fault) => ({ ...fault })),
      entries: summary.entries,
      lost: summary.lost,
      checkpoints: summary.checkpoints,
      anchor: summary.anchor ?? null,
      head: summary.head === undefined ? null : { ...summary.head },
    })),
  }
}
