import type { Answer } from '@engine/http-server'
import { AskedReceipt } from '../receipts/asked-receipt.ts'
import type { ExecutionService, RunOptions } from '../services/execution.ts'
import { asResponseError, failure } from './error-mapping.ts'
import type { ExecutionBody } from './execution-body.ts'
import { reportedExecution } from './execution-report.ts'
import { TEXT } from './execution-text.ts'

/**
 * Answers an execution with its receipt. Also answers a failed execution, since it has a receipt; request errors and
 * defects are thrown as usual.
 *
 * @param reports true adds headers that identify the deciding ruleset
 */
export async function receiptedExecution(
  execution: ExecutionService,
  name: string,
  body: ExecutionBody,
  request: Omit<RunOptions, 'trace' | 'traceValues'>,
  reports: boolean,
): Promise<Answer> {
  const receipt = new AskedReceipt()
  const options = { ...request, receipt }
  const answer = await answered(receipt, async () => {
    if (reports) return reportedExecution(execution, name, body, options)
    const { input, trace, traceValues } = body
    return { status: 200, body: await execution.execute(name, input, TEXT, { trace, traceValues, ...options }) }
  })
  if (typeof answer.body !== 'string') return answer
  return { ...answer, body: `${await receipt.appendedTo(answer.body.slice(0, -1))}}` }
}

async function answered(receipt: AskedReceipt, run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run()
  } catch (thrown) {
    const error = asResponseError(thrown)
    if (receipt.size === 0 || error.code === 'defect') throw thrown
    return failure(error)
  }
}
