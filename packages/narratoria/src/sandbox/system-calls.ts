/**
 * The system calls a tool gets, with their numbers on x64 and on arm64 ("-" where a machine has no such call): what
 * interpreters, libraries and shells use. `seccomp.ts` makes the kernel's filter of it. Whatever is missing here is
 * missing for a tool: key rings, bpf, io_uring, tracing, mounts, modules, and the shared memory, queues and semaphores of
 * System V, which would be memory that nobody can count.
 */
const TABLE = `
# Files
read 0 63; write 1 64; open 2 -; openat 257 56; creat 85 -; close 3 57; close_range 436 436;
lseek 8 62; pread64 17 67; pwrite64 18 68; readv 19 65; writev 20 66; preadv 295 69; pwritev 296 70;
preadv2 327 286; pwritev2 328 287; stat 4 -; fstat 5 80; lstat 6 -; newfstatat 262 79; statx 332 291; access 21 -;
faccessat 269 48; faccessat2 439 439; dup 32 23; dup2 33 -; dup3 292 24; fcntl 72 25; flock 73 32; fsync 74 82;
fdatasync 75 83; sync 162 81; syncfs 306 267; sync_file_range 277 84; truncate 76 45; ftruncate 77 46;
fallocate 285 47; fadvise64 221 223; readahead 187 213; getdents 78 -; getdents64 217 61; getcwd 79 17;
chdir 80 49; fchdir 81 50; rename 82 -; renameat 264 38; renameat2 316 276; mkdir 83 -; mkdirat 258 34; rmdir 84 -;
link 86 -; linkat 265 37; unlink 87 -; unlinkat 263 35; symlink 88 -; symlinkat 266 36; readlink 89 -;
readlinkat 267 78; chmod 90 -; fchmod 91 52; fchmodat 268 53; fchmodat2 452 452; chown 92 -; fchown 93 55;
lchown 94 -; fchownat 260 54; umask 95 166; mknod 133 -; mknodat 259 33; utime 132 -; utimes 235 -;
futimesat 261 -; utimensat 280 88; statfs 137 43; fstatfs 138 44; getxattr 191 8; lgetxattr 192 9;
fgetxattr 193 10; setxattr 188 5; lsetxattr 189 6; fsetxattr 190 7; listxattr 194 11; llistxattr 195 12;
flistxattr 196 13; removexattr 197 14; lremovexattr 198 15; fremovexattr 199 16; getxattrat 464 464;
setxattrat 463 463; listxattrat 465 465; removexattrat 466 466; ioctl 16 29; sendfile 40 71;
copy_file_range 326 285; splice 275 76; tee 276 77; vmsplice 278 75; pipe 22 -; pipe2 293 59; inotify_init 253 -;
inotify_init1 294 26; inotify_add_watch 254 27; inotify_rm_watch 255 28; name_to_handle_at 303 264;
cachestat 451 451;
# Waiting for something
poll 7 -; ppoll 271 73; select 23 -; pselect6 270 72; epoll_create 213 -; epoll_create1 291 20; epoll_ctl 233 21;
epoll_wait 232 -; epoll_pwait 281 22; epoll_pwait2 441 441; eventfd 284 -; eventfd2 290 19; signalfd 282 -;
signalfd4 289 74; timerfd_create 283 85; timerfd_settime 286 86; timerfd_gettime 287 87;
# Memory
mmap 9 222; munmap 11 215; mprotect 10 226; mremap 25 216; msync 26 227; mincore 27 232; madvise 28 233;
brk 12 214; mlock 149 228; mlock2 325 284; munlock 150 229; mlockall 151 230; munlockall 152 231;
memfd_create 319 279; pkey_alloc 330 289; pkey_free 331 290; pkey_mprotect 329 288; membarrier 324 283;
mbind 237 235; get_mempolicy 239 236; set_mempolicy 238 237; set_mempolicy_home_node 450 450; mseal 462 462;
map_shadow_stack 453 453;
# Processes and threads
clone 56 220; fork 57 -; vfork 58 -; execve 59 221; execveat 322 281; exit 60 93; exit_group 231 94; wait4 61 260;
waitid 247 95; getpid 39 172; getppid 110 173; gettid 186 178; getpgid 121 155; setpgid 109 154; getpgrp 111 -;
getsid 124 156; setsid 112 157; kill 62 129; tkill 200 130; tgkill 234 131; pidfd_open 434 434;
pidfd_send_signal 424 424; prctl 157 167; arch_prctl 158 -; personality 135 92; set_tid_address 218 96;
set_robust_list 273 99; get_robust_list 274 100; futex 202 98; futex_waitv 449 449; futex_wake 454 454;
futex_wait 455 455; futex_requeue 456 456; rseq 334 293; set_thread_area 205 -; get_thread_area 211 -;
sched_yield 24 124; sched_getaffinity 204 123; sched_setaffinity 203 122; sched_getparam 143 121;
sched_setparam 142 118; sched_getscheduler 145 120; sched_setscheduler 144 119; sched_getattr 315 275;
sched_setattr 314 274; sched_get_priority_max 146 125; sched_get_priority_min 147 126;
sched_rr_get_interval 148 127; getpriority 140 141; setpriority 141 140; ioprio_get 252 31; ioprio_set 251 30;
getcpu 309 168; getrlimit 97 163; setrlimit 160 164; prlimit64 302 261; getrusage 98 165; times 100 153;
pause 34 -; alarm 37 -; restart_syscall 219 128; seccomp 317 277; landlock_create_ruleset 444 444;
landlock_add_rule 445 445; landlock_restrict_self 446 446;
# Signals
rt_sigaction 13 134; rt_sigprocmask 14 135; rt_sigreturn 15 139; rt_sigpending 127 136; rt_sigtimedwait 128 137;
rt_sigqueueinfo 129 138; rt_tgsigqueueinfo 297 240; rt_sigsuspend 130 133; sigaltstack 131 132;
# Who one is
getuid 102 174; geteuid 107 175; getgid 104 176; getegid 108 177; getresuid 118 148; getresgid 120 150;
getgroups 115 158; setuid 105 146; setgid 106 144; setreuid 113 145; setregid 114 143; setresuid 117 147;
setresgid 119 149; setfsuid 122 151; setfsgid 123 152; setgroups 116 159; capget 125 90; capset 126 91;
uname 63 160; sysinfo 99 179; getrandom 318 278;
# Time
time 201 -; gettimeofday 96 169; clock_gettime 228 113; clock_getres 229 114; clock_nanosleep 230 115;
nanosleep 35 101; getitimer 36 102; setitimer 38 103; timer_create 222 107; timer_settime 223 110;
timer_gettime 224 108; timer_getoverrun 225 109; timer_delete 226 111;
# Sockets, once one has one
connect 42 203; accept 43 202; accept4 288 242; bind 49 200; listen 50 201; getsockname 51 204; getpeername 52 205;
sendto 44 206; recvfrom 45 207; sendmsg 46 211; recvmsg 47 212; sendmmsg 307 269; recvmmsg 299 243;
shutdown 48 210; setsockopt 54 208; getsockopt 55 209;
# Queues of messages, whose bytes the kernel limits for each user
mq_open 240 180; mq_unlink 241 181; mq_timedsend 242 182; mq_timedreceive 243 183; mq_notify 244 184;
mq_getsetattr 245 185;
`;

export type Machine = "x64" | "arm64";

/** The numbers of the allowed calls on a machine, ascending. */
export function allowedCalls(machine: Machine): number[] {
  return [...namedCalls(machine).values()].toSorted((a, b) => a - b);
}

export function namedCalls(machine: Machine): Map<string, number> {
  const calls = new Map<string, number>();
  for (const row of TABLE.replaceAll(/^#.*$/gm, "").split(";")) {
    const [name, x64, arm64] = row.trim().split(" ");
    const number = machine === "x64" ? x64 : arm64;
    if (name !== undefined && number !== undefined && number !== "-") calls.set(name, Number(number));
  }
  return calls;
}
