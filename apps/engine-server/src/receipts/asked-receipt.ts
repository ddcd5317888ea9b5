import type { Receipt } from '@engine/receipts'

/** Characters of a receipt without its evidence, about. */
const BARE_SIZE = 2000

/** The receipt of one execution for its caller. */
export class AskedReceipt {
  #receipt: Promise<Receipt> | undefined
  #size = 0

  /** The execution is in the log; its receipt follows with the next checkpoint. */
  kept(receipt: Promise<Receipt>, evidenceSize: number): void {
    this.#receipt = receipt
    this.#size = BARE_SIZE + evidenceSize
    // Looked at when the answer is written; until then no failure is one of the process.
    receipt.catch(() => {})
  }

  /** Characters of it, about; 0: there is none. */
  get size(): number {
    return this.#size
  }

  /**
   * JSON; undefined: the execution has no receipt. Rejects with an `EngineError` when it cannot be written.
   */
  async text(): Promise<string | undefined> {
    return this.#receipt && JSON.stringify(await this.#receipt)
  }

  /** An object of JSON without its closing brace, with the receipt as a further member, if there is one. */
  async appendedTo(open: string): Promise<string> {
    const text = await this.text()
    return text === undefined ? open : `${open},"receipt":${text}`
  }

  /** The same as `text` without evidence where it would be longer than this. */
  async shortText(longest: number): Promise<string | undefined> {
    const text = await this.text()
    if (text === undefined || text.length <= longest || this.#receipt === undefined) return text
    const { evidence: _, ...bare } = await this.#receipt
    return JSON.stringify(bare)
  }
}
