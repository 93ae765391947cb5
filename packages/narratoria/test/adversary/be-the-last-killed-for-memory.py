"""Must not: be the last one that is killed when memory runs out."""

from attack import attempt


@attempt
def escape():
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("-1000")
    return "score -1000"
