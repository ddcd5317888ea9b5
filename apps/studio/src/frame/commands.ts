import type { IconName } from '../ui/icon.tsx'

/** Something that the palette offers. */
export interface Command {
  readonly id: string
  readonly label: string
  readonly kind: string
  readonly icon: IconName
  readonly run: () => void
  /** Of a step: everything that is written in it, a part on each line. */
  readonly text?: () => string
}

/** Commands and steps of the page that is open. */
let ofPage: readonly Command[] = []

/** Offer what a page can do, until it is left. */
export function offer(commands: readonly Command[]): () => void {
  ofPage = commands
  return () => {
    if (ofPage === commands) ofPage = []
  }
}

export const offered = (): readonly Command[] => ofPage

/** Whether the open page has steps to search. */
export const hasSteps = (): boolean => ofPage.some(({ text }) => text !== undefined)
