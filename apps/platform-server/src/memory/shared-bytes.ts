/**
 * A number of bytes that organizations share: none of them takes more than its part, so that one that sends much leaves room for
 * the others.
 */
export class SharedBytes {
  readonly #total: number
  /** Bytes of one organization. */
  readonly part: number
  readonly #taken = new Map<string, number>()
  #sum = 0

  /** @param part of one organization. Default: half of the total */
  constructor(total: number, part = total / 2) {
    this.#total = total
    this.part = part
  }

  /** False, and nothing is taken, where the total or the part of the organization does not suffice. */
  take(organization: string, bytes: number): boolean {
    const taken = this.#taken.get(organization) ?? 0
    if (this.#sum + bytes > this.#total || taken + bytes > this.part) return false
    this.charge(organization, bytes)
    return true
  }

  /** Takes bytes that are already in use, even beyond the limit. */
  charge(organization: string, bytes: number): void {
    this.#sum += bytes
    this.#taken.set(organization, (this.#taken.get(organization) ?? 0) + bytes)
  }

  give(organization: string, bytes: number): void {
    this.#sum -= bytes
    const left = (this.#taken.get(organization) ?? 0) - bytes
    if (left > 0) this.#taken.set(organization, left)
    else this.#taken.delete(organization)
  }
}
