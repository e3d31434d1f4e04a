import { answerQuestions } from '@spanhouse/runtime'
import { comparePairs, type PairedStatistics, type PairedValues } from './statistics.ts'

answerQuestions((scores: readonly PairedValues[]): PairedStatistics[] => scores.map(comparePairs))
