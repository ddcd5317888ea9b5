import { useLanguage } from '../texts/texts.tsx'
import { type RolloutTexts, rollout as en } from '../texts/en/rollout.ts'
import { rollout as zh } from '../texts/zh/rollout.ts'

const TEXTS = { en, zh } as const

/** The texts of rollouts in the chosen language: no other page loads them. */
export const useRolloutTexts = (): RolloutTexts => TEXTS[useLanguage().language]
