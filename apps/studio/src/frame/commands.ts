import type { IconName } from '../ui/icon.tsx'

/** An entry of the command palette. */
export interface Command {
  readonly id: string
  readonly label: string
  readonly kind: string
  readonly icon: IconName
  readonly run: () => void
  /** All texts of a step, one per line. */
  readonly text?: () => string
}

/** Commands and steps of the open page. */
let ofPage: readonly Command[] = []

/** Offer the commands of a page until the returned function is called. */
export function offer(commands: readonly Command[]): () => void {
  ofPage = commands
  return () => {
    if (ofPage === commands) ofPage = []
  }
}

export const offered = (): readonly Command[] => ofPage

/** Whether the open page has steps to search. */
export const hasSteps = (): boolean => ofPage.some(({ text }) => text !== undefined)
