import type { Receipt } from '@engine/receipts'

/** Approximate number of characters of a receipt without its evidence. */
const BARE_SIZE = 2000

/** The requested receipt of one execution. */
export class AskedReceipt {
  #receipt: Promise<Receipt> | undefined
  #size = 0

  /** The execution is in the log; its receipt follows with the next checkpoint. */
  kept(receipt: Promise<Receipt>, evidenceSize: number): void {
    this.#receipt = receipt
    this.#size = BARE_SIZE + evidenceSize
    // Awaited when the answer is written; until then a rejection must not end the process.
    receipt.catch(() => {})
  }

  /** Approximate number of characters; 0 if there is no receipt. */
  get size(): number {
    return this.#size
  }

  /**
   * JSON text; undefined if the execution has no receipt. Rejects with an `EngineError` if the receipt cannot be
   * written.
   */
  async text(): Promise<string | undefined> {
    return this.#receipt && JSON.stringify(await this.#receipt)
  }

  /** Appends the receipt, if any, as a member to a JSON object whose closing brace is missing. */
  async appendedTo(open: string): Promise<string> {
    const text = await this.text()
    return text === undefined ? open : `${open},"receipt":${text}`
  }

  /** Like `text`, but without evidence if it would be longer than this. */
  async shortText(longest: number): Promise<string | undefined> {
    const text = await this.text()
    if (text === undefined || text.length <= longest || this.#receipt === undefined) return text
    const { evidence: _, ...bare } = await this.#receipt
    return JSON.stringify(bare)
  }
}
