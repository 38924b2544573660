/**
 * Work that outlives the request which began it; draining waits for it. It is counted rather than kept: a set that promises enter
 * and leave all the time lets the collector keep what hung on the ended ones, through tables that it has rehashed.
 */
export class BackgroundWork {
  #underWay = 0;
  #waiting: (() => void)[] = [];

  /** `work` must not fail: its error would go unnoticed. */
  add(work: Promise<unknown>): void {
    this.#underWay++;
    work.finally(() => this.#end());
  }

  /** Resolves when none is under way, at once where that is so already. */
  async settled(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #end(): void {
    this.#underWay--;
    if (this.#underWay > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
