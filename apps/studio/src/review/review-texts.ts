import { useLanguage } from '../texts/texts.tsx'
import { type ReviewTexts, review as en } from '../texts/en/review.ts'
import { review as zh } from '../texts/zh/review.ts'

const TEXTS = { en, zh } as const

/** The texts of reviews in the chosen language: no other page loads them. */
export const useReviewTexts = (): ReviewTexts => TEXTS[useLanguage().language]
