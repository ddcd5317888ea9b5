import { useEffect, useSyncExternalStore } from 'react'

/** The onboarding steps, in order. */
export const FIRST_STEPS = ['open', 'test', 'review', 'canary', 'call'] as const
export type FirstStep = (typeof FIRST_STEPS)[number]

interface Progress {
  readonly done: readonly FirstStep[]
  readonly isHidden: boolean
}

const STORED = 'studio.first-steps'

/**
 * The completed onboarding steps, stored in this browser. A step is ticked by doing it, never by a click on the list.
 */
class FirstSteps {
  #progress: Progress = read()
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly get = () => this.#progress

  tick(step: FirstStep): void {
    const { done } = this.#progress
    if (!done.includes(step)) this.#set({ ...this.#progress, done: [...done, step] })
  }

  hide(): void {
    this.#set({ ...this.#progress, isHidden: true })
  }

  #set(progress: Progress): void {
    this.#progress = progress
    localStorage.setItem(STORED, [...progress.done, ...(progress.isHidden ? ['hidden'] : [])].join(' '))
    for (const listener of this.#listeners) listener()
  }
}

function read(): Progress {
  const words = (localStorage.getItem(STORED) ?? '').split(' ')
  return { done: FIRST_STEPS.filter((step) => words.includes(step)), isHidden: words.includes('hidden') }
}

export const firstSteps = new FirstSteps()

export const useFirstSteps = (): Progress => useSyncExternalStore(firstSteps.subscribe, firstSteps.get)

/** Ticks a step when the user has done it on this page. */
export function useTick(step: FirstStep, isDone: boolean): void {
  useEffect(() => {
    if (isDone) firstSteps.tick(step)
  }, [step, isDone])
}
