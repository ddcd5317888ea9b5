import type { DraftRuleset } from '@engine/authoring'
import { useEffect } from 'react'
import { type Command, offer } from '../frame/commands.ts'
import { focusStep } from '../graph-editor/focus-step.ts'
import { stepChoice } from '../graph-editor/step-name.ts'
import { useTexts } from '../texts/texts.tsx'
import { textOfStep } from './step-text.ts'

/** Adds the steps of the open graph to the command palette. */
export function useSteps({ steps }: DraftRuleset, select: (id: string) => void, execute: () => void): void {
  const { canvas, editor, frame } = useTexts()
  useEffect(
    () =>
      offer([
        ...steps.map((step): Command => {
          const { id, type } = step
          return {
            id: `step ${id}`,
            label: stepChoice(step),
            kind: canvas.kinds[type],
            icon: type,
            run: () => {
              select(id)
              focusStep(id)
            },
            text: () => textOfStep(step),
          }
        }),
        { id: 'run', label: editor.run, kind: frame.command, icon: 'play', run: execute },
      ]),
    [steps, select, execute, canvas, editor, frame],
  )
}
