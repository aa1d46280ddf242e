/**
 * A stage that a team answers itself: asked within its time limit, left alone for a while when it fails.
 *
 * @module
 */
import {
  type FailureMode,
  healthy,
  isStageLeftAlone,
  stageAnswered,
  stageFailed,
  type StageHealth,
  type StageName,
} from "../../shared/core/attend/stage_health.ts";
import { OwnStageFailed } from "../../shared/contract/own_stage_failed.ts";
import type { AnswerOf } from "./stage_call.ts";
import type { StageReport } from "./stage_report.ts";

/** Gives a stage's answer to a request, or throws. */
export type Ask<Stage extends StageName> = (
  request: unknown,
  requestId: string,
) => Promise<AnswerOf<Stage>>;

/** Where a stage is told to be, and what happens while it fails. */
export interface OwnStageOptions<Stage extends StageName = StageName> {
  readonly stage: Stage;
  /** For messages. */
  readonly url: string;
  readonly failureMode: FailureMode;
  readonly ask: Ask<Stage>;
}

/** One stage of a team's own. */
export class OwnStage<Stage extends StageName = StageName> {
  readonly stage: Stage;
  readonly url: string;
  readonly failureMode: FailureMode;
  readonly #ask: Ask<Stage>;
  readonly #report: StageReport;
  #health: StageHealth = healthy;

  constructor(options: OwnStageOptions<Stage>, report: StageReport) {
    this.stage = options.stage;
    this.url = options.url;
    this.failureMode = options.failureMode;
    this.#ask = options.ask;
    this.#report = report;
    report.follow(this);
  }

  /** How it does. */
  get health(): StageHealth {
    return this.#health;
  }

  /**
   * Its answer, of which `check` says what is wrong with it beyond its schema.
   *
   * @throws {OwnStageFailed} that says why there is none.
   */
  async ask(
    request: unknown,
    { requestId, check = () => undefined }: {
      requestId: string;
      check?: (answer: AnswerOf<Stage>) => string | undefined;
    },
  ): Promise<AnswerOf<Stage>> {
    const { stage, url } = this;
    if (isStageLeftAlone(this.#health, Date.now())) {
      this.#report.asked(stage, "left alone");
      throw new OwnStageFailed(
        `stage ${stage} at ${url} is left alone after: ${this.#health.error}`,
      );
    }
    const end = this.#report.timed(stage);
    try {
      const answer = await this.#ask(request, requestId);
      const problem = check(answer);
      if (problem !== undefined) throw new Error(`the answer can not be used: ${problem}`);
      this.#health = stageAnswered(this.#health);
      this.#report.asked(stage, "answered");
      return answer;
    } catch (error) {
      const { message } = error as Error;
      this.#health = stageFailed(this.#health, { error: message, now: Date.now() });
      this.#report.failed(this, requestId);
      throw new OwnStageFailed(`stage ${stage} at ${url} failed: ${this.#health.error}`);
    } finally {
      end();
    }
  }
}
